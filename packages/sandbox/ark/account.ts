/** The owner, and the project. */
export interface Place {
  readonly account: string;
  readonly project: string;
}

/**
 * A key such as "sk-test@studio/films" is of the account "studio" and of its
 * project "films"; whatever a key does not name is "default". Access keys are
 * of an account in the same way, and say the project with each request.
 */
export function locationOf(key: string): Place {
  const [, account = USUAL, project = USUAL] = /^[^@/]*(?:@([^@/]+))?(?:\/(.+))?$/.exec(key) ?? [];
  return { account, project };
}

export const USUAL = "default";

/** One word for both, which no other place has. */
export function ownerIn({ account, project }: Place): string {
  return `${account}/${project}`;
}
