// SPDX-License-Identifier: Apache-2.0
// placeholder main file here
int main(void)
{
    return 0;
}
