import tokens from "gpt-tokenizer/bpeRanks/o200k_base";
import { buildVocabulary, type VocabularyTable } from "./vocabulary.ts";

/**
 * A thread that only loads the vocabulary, and is ended then: as a module it takes 80 MB, which the
 * runtime gives back with the thread.
 */
declare const self: Worker;

const table = buildVocabulary(tokens) satisfies VocabularyTable;
self.postMessage(table, [table.bytes.buffer, table.ends.buffer, table.slots.buffer]);
