// SPDX-License-Identifier: Apache-2.0
// Order of the hits of a search: pages, then entries of the interfaces, then notes.
var Scorer = {
    score: ([page, title, anchor, description, score]) => page.startsWith("notes/") ? Math.min(score, 4) : score,
    objNameMatch: 11,
    objPartialMatch: 6,
    // members of structs and classes; entries of the glossary have no number here
    objPrio: { 0: -20, 1: -25, 2: -30 },
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
};
