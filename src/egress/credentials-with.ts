import type { Channel, Credential } from "#core/channel.ts";

/** Those of a channel that hold what is asked for; nobody else looks into them. */
export function credentialsWith(
  { credentials }: Pick<Channel, "credentials">,
  isAble: (secret: string) => boolean,
): readonly Credential[] {
  return credentials.filter((each) => isAble(each.open()));
}
