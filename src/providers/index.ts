import type { Provider } from "./provider.ts";
import * as vendors from "./vendors.ts";

/** The moderation model if the client names none, which the format allows. */
export { USUAL_MODERATOR } from "./openai.ts";

/** All known vendors by name. */
export const PROVIDERS: readonly Provider[] = Object.values(vendors);

const BY_ID: ReadonlyMap<string, Provider> = new Map(PROVIDERS.map((each) => [each.id, each]));

export function findProvider(id: string): Provider | undefined {
  return BY_ID.get(id);
}
