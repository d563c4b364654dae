// SPDX-License-Identifier: Apache-2.0
// Fuzz target: state files of cairn law, evaluated by every law and one-contact solver.
#include "cli/law/law.h"
#include "tests/fuzz/fuzz.h"

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

static void print_answer(const law_request *request, const law_answer *answer)
{
    law_column columns[LAW_COLUMNS_MAX];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fuzz_demand(out != NULL, "no stream");
    law_answer_print(request, answer, out);
    law_answer_json(request, answer, out);
    fclose(out);
    free(text);
    fuzz_demand(law_answer_columns(request, answer, columns) <= LAW_COLUMNS_MAX, "columns");
}

static void evaluate(cairn_plugin plugin, int index, const cli_json_tree *tree)
{
    law_request request;
    law_answer answer;
    cairn_error error = {0};
    cairn_status status = law_request_begin(&request, cairn_plugin_get(plugin, index).name, &error);
    if (status == CAIRN_OK)
        status = law_request_read(&request, tree->root, "input", &error);
    if (status == CAIRN_OK)
        status = law_request_evaluate(&request, &answer, &error);
    if (status == CAIRN_OK)
        print_answer(&request, &answer);
    else
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cli_json_tree tree;
    cairn_error error = {0};
    if (cli_json_parse((const char *)data, size, "input", &tree, &error) == CAIRN_OK) {
        for (int i = 0; i < cairn_plugin_count(CAIRN_LAW); i++)
            evaluate(CAIRN_LAW, i, &tree);
        for (int i = 0; i < cairn_plugin_count(CAIRN_LOCAL); i++)
            evaluate(CAIRN_LOCAL, i, &tree);
    } else {
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
    }
    cli_json_release(&tree);
    return 0;
}
