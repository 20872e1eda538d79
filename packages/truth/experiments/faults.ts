import { call, type End } from "../client/call.ts";
import { aloneModel, spareModel, type Field } from "../field.ts";
import type { Key } from "../gateway/adapter.ts";
import { FAULTS } from "../vendor/faults.ts";
import type { Experiment, Finding } from "./experiment.ts";

const TOKENS = 20;
/** A gateway may give a silent vendor up, try it once more, and tell its caller. */
const LIMIT_FACTOR = 3;

export const FAULTS_TOLD: Experiment = {
  id: "faults",
  title: "Faults of the only channel",
  rule: "The caller is told each fault: none is shown as a complete answer, and none hangs.",
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-faults" });
    const ends = await askEach(field, key, Object.keys(FAULTS), aloneModel);
    const told = ends.filter(({ end }) => end === "told");
    const fine = ends.filter(({ end }) => end === "whole");
    const hanging = ends.filter(({ end }) => end === "hangs");
    return {
      holds: told.length === ends.length,
      figures: {
        faults: ends.length,
        told: told.length,
        "shown as complete": listed(fine),
        hang: listed(hanging),
      },
      sentence: `${told.length} of ${ends.length} faults were told, ${fine.length} were shown as complete, ${hanging.length} had no end.`,
    };
  },
};

export const FAULTS_SPARED: Experiment = {
  id: "spare",
  title: "Faults with a second channel",
  rule: "Each fault before the first token is answered by the second channel.",
  async run(field) {
    const key = await field.accounts.createKey({ name: "truth-spare" });
    const early = Object.keys(FAULTS).filter((each) => FAULTS[each]?.isLate !== true);
    const ends = await askEach(field, key, early, spareModel);
    const missed = ends.filter(({ tokens }) => tokens !== TOKENS);
    const answered = ends.length - missed.length;
    return {
      holds: missed.length === 0,
      figures: { faults: ends.length, answered, "not answered": listed(missed) },
      sentence: `The second channel answered for ${answered} of ${ends.length} faults.`,
    };
  },
};

interface FaultOutcome {
  readonly fault: string;
  readonly end: End;
  readonly tokens: number;
}

function askEach(
  field: Field,
  key: Key,
  faults: readonly string[],
  modelOf: (fault: string) => string,
): Promise<readonly FaultOutcome[]> {
  return Promise.all(
    faults.map(async (fault) => {
      const { end, tokens } = await call({
        url: field.gateway.url,
        secret: key.secret,
        model: field.request(modelOf(fault)),
        plan: { id: field.nextId(), tokens: TOKENS },
        isStream: FAULTS[fault]?.isStream === true,
        limitMs: LIMIT_FACTOR * field.silenceMs,
      });
      return { fault, end, tokens };
    }),
  );
}

const listed = (asked: readonly FaultOutcome[]): Finding["figures"][string] =>
  asked.length === 0 ? 0 : asked.map(({ fault }) => FAULTS[fault]?.title ?? fault).join("; ");
