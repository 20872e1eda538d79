import { randomBytes } from "node:crypto";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError } from "../error.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import { readCharacter } from "./request.ts";

interface Character {
  readonly owner: string;
  readonly body: JsonObject;
}

/** Whoever shall be seen in several videos, the oldest of whom are forgotten. */
export function characterTable(now: () => number) {
  const kept = new Map<string, Character>();
  return {
    create(request: VendorRequest, owner: string): JsonObject {
      const name = readCharacter(request);
      const id = `char_${randomBytes(24).toString("hex")}`;
      const body = { id, name, created_at: Math.floor(now() / 1_000) };
      kept.set(id, { owner, body });
      const [oldest] = kept.keys();
      if (kept.size > MAX_CHARACTERS && oldest !== undefined) kept.delete(oldest);
      return body;
    },
    get(id: string, owner: string): JsonObject {
      const character = kept.get(id);
      if (character?.owner === owner) return character.body;
      throw new ApiError(404, { message: `Character with id '${id}' not found.` });
    },
  };
}

const MAX_CHARACTERS = 1_000;
