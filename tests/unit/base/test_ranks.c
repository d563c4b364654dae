// SPDX-License-Identifier: Apache-2.0
// Messages between ranks: every launched process runs this program, with their number as argument.
#include "base/ranks/ranks.h"
#include "tests/check.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, LENGTH = 5000 };

static base_counting_allocator counter;
static base_ranks *ranks;
static int launched;

static void all_launched_processes_are_there(void **state)
{
    (void)state;
    assert_int_equal(base_ranks_count(ranks), launched);
    int64_t present[MOST_RANKS] = {0};
    present[base_ranks_number(ranks)] = 1;
    assert_int_equal(base_ranks_highest(ranks, present, MOST_RANKS, NULL), CAIRN_OK);
    for (int i = 0; i < MOST_RANKS; i++)
        assert_int_equal(present[i], i < launched);
}

static void a_second_start_is_refused(void **state)
{
    (void)state;
    cairn_error error = {0};
    base_allocator allocator = base_allocator_default();
    assert_null(base_ranks_create(&allocator, &error));
    assert_int_equal(error.status, CAIRN_ERROR_ARGUMENT);
}

static void votes_take_the_highest_of_each_place(void **state)
{
    (void)state;
    int64_t number = base_ranks_number(ranks);
    int64_t values[3] = {-number, number * (INT64_C(1) << 40), INT64_MIN + number};
    assert_int_equal(base_ranks_highest(ranks, values, 3, NULL), CAIRN_OK);
    assert_true(values[0] == 0);
    assert_true(values[1] == (launched - 1) * (INT64_C(1) << 40));
    assert_true(values[2] == INT64_MIN + launched - 1);
}

static unsigned char byte_of(int from, int to, int place)
{
    return (unsigned char)(31 * from + 7 * to + place);
}

// each rank gives another number of bytes, every third none
static int part_of(int number, int round)
{
    return number % 3 == round % 3 ? 0 : (number + 1) * (round + 1) * 10;
}

static void parts_are_gathered_in_the_order_of_ranks(void **state)
{
    (void)state;
    base_gathered gathered = {0};
    for (int round = 0; round < 6; round++) {
        unsigned char bytes[LENGTH];
        int number = base_ranks_number(ranks);
        for (int i = 0; i < part_of(number, round); i++)
            bytes[i] = byte_of(number, round, i);
        base_ranks_delay(ranks, (uint64_t)round, 2000);
        assert_int_equal(
            base_ranks_gather(ranks, bytes, (size_t)part_of(number, round), &gathered, NULL),
            CAIRN_OK);
        for (int rank = 0; number == 0 && rank < launched; rank++) {
            int begin = gathered.begins[rank];
            assert_int_equal(gathered.begins[rank + 1] - begin, part_of(rank, round));
            for (int i = 0; i < part_of(rank, round); i++)
                assert_int_equal(gathered.bytes[begin + i], byte_of(rank, round, i));
        }
        if (number != 0)
            assert_null(gathered.bytes);
    }
    base_ranks_delay(ranks, 0, 0);
    base_gathered_release(ranks, &gathered);
}

static void too_much_to_gather_fails_on_all_ranks(void **state)
{
    (void)state;
    base_gathered gathered = {0};
    cairn_error error = {0};
    size_t size = base_ranks_number(ranks) == launched - 1 ? (size_t)INT_MAX + 1 : 1;
    // refused before a byte is read
    assert_int_equal(base_ranks_gather(ranks, "x", size, &gathered, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "2147483647"));
    base_gathered_release(ranks, &gathered);
}

static void short_memory_on_rank_0_fails_on_all_ranks(void **state)
{
    (void)state;
    for (int call = 1; call <= 4; call++) {
        base_gathered gathered = {0};
        if (base_ranks_number(ranks) == 0)
            counter.fail_at = counter.calls + call;
        cairn_status status = base_ranks_gather(ranks, "abc", 3, &gathered, NULL);
        counter.fail_at = 0;
        assert_int_equal(status, CAIRN_ERROR_MEMORY);
        base_gathered_release(ranks, &gathered);
    }
}

// bytes between two ranks in a round: both ways differ, some are empty
static int message_of(int from, int to, int round)
{
    return (from + 2 * to + round) % 4 == 0 ? 0 : 100 * (from + 1) + 10 * to + round;
}

static void exchange_with_all(int round)
{
    static unsigned char sent[MOST_RANKS][LENGTH], received[MOST_RANKS][LENGTH];
    base_neighbour neighbours[MOST_RANKS];
    int count = 0;
    int number = base_ranks_number(ranks);
    memset(received, 0, sizeof received);
    for (int other = launched - 1; other >= 0; other--) {
        if (other == number)
            continue;
        for (int i = 0; i < LENGTH; i++)
            sent[other][i] = byte_of(number, other, i + round);
        neighbours[count++] =
            (base_neighbour){other, sent[other], (size_t)message_of(number, other, round),
                             received[other], (size_t)message_of(other, number, round)};
    }
    assert_int_equal(base_ranks_exchange(ranks, neighbours, count, NULL), CAIRN_OK);
    for (int other = 0; other < launched; other++)
        for (int i = 0; i < LENGTH; i++) {
            bool is_sent = other != number && i < message_of(other, number, round);
            assert_int_equal(received[other][i], is_sent ? byte_of(other, number, i + round) : 0);
        }
}

static void neighbours_get_their_own_messages(void **state)
{
    (void)state;
    exchange_with_all(0);
    long calls = counter.calls;
    for (int round = 1; round < 20; round++) {
        // late ranks lag by whole rounds: messages of two rounds must not be mixed up
        base_ranks_delay(ranks, (uint64_t)round, round % 2 == 0 ? 1000 : 0);
        exchange_with_all(round);
    }
    base_ranks_delay(ranks, 0, 0);
    assert_int_equal(counter.calls, calls);
}

static void wrong_neighbours_are_refused(void **state)
{
    (void)state;
    int wrong[] = {-1, launched, base_ranks_number(ranks)};
    for (int i = 0; i < 3; i++) {
        cairn_error error = {0};
        base_neighbour neighbour = {.number = wrong[i]};
        assert_int_equal(base_ranks_exchange(ranks, &neighbour, 1, &error), CAIRN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "exchanges with rank"));
    }
}

static void messages_of_another_size_are_an_error(void **state)
{
    (void)state;
    int number = base_ranks_number(ranks);
    if (launched < 2 || number > 1)
        return;
    unsigned char sent[8] = {0}, received[8];
    // rank 1 sends fewer bytes than rank 0 expects
    base_neighbour neighbour = {1 - number, sent, number == 1 ? 4 : 8, received, 8};
    cairn_error error = {0};
    cairn_status status = base_ranks_exchange(ranks, &neighbour, 1, &error);
    assert_int_equal(status, number == 0 ? CAIRN_ERROR_INCONSISTENT : CAIRN_OK);
    if (number == 0)
        assert_string_equal(error.message, "rank 1 sent 4 bytes to rank 0, which expects 8");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_launched_processes_are_there),
        cmocka_unit_test(a_second_start_is_refused),
        cmocka_unit_test(votes_take_the_highest_of_each_place),
        cmocka_unit_test(parts_are_gathered_in_the_order_of_ranks),
        cmocka_unit_test(too_much_to_gather_fails_on_all_ranks),
        cmocka_unit_test(short_memory_on_rank_0_fails_on_all_ranks),
        cmocka_unit_test(neighbours_get_their_own_messages),
        cmocka_unit_test(wrong_neighbours_are_refused),
        cmocka_unit_test(messages_of_another_size_are_an_error),
    };
    launched = argc > 1 ? atoi(argv[1]) : 1;
    base_allocator allocator = base_allocator_counting(&counter);
    cairn_error error = {0};
    ranks = base_ranks_create(&allocator, &error);
    if (ranks == NULL) {
        print_error("%s\n", error.message);
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    // a rank that failed does not wait for the others: the launcher ends them
    if (failures > 0)
        _Exit(1);
    base_ranks_destroy(ranks);
    return counter.live == 0 ? 0 : 1;
}
