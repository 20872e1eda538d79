import type { Channel, Credential } from "#core/channel.ts";

/** The channel's credentials that pass a check of their secret; only egress opens secrets. */
export function credentialsWith(
  { credentials }: Pick<Channel, "credentials">,
  isAble: (secret: string) => boolean,
): readonly Credential[] {
  return credentials.filter((each) => isAble(each.open()));
}
