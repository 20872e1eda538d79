/** An access key and its signing secret. */
export interface KeyPair {
  readonly accessKey: string;
  readonly secret: string;
  /** Of a pair that was lent for a while: it has to come with each request. */
  readonly sessionToken?: string;
}

/** The pair that is accepted where none are named, so that signatures are always checked. */
export const SANDBOX_PAIR = "ak-test|sk-test-secret-0123456789abcdef";

/** Among the credentials that are accepted, each "key|secret" or "key|secret|token". */
export function findPair(
  accessKey: string,
  credentials: readonly string[] = [SANDBOX_PAIR],
): KeyPair | undefined {
  return credentials
    .filter(isPair)
    .map(readPair)
    .find((pair) => pair.accessKey === accessKey);
}

export function isPair(credential: string): boolean {
  return /[|,]/.test(credential);
}

function readPair(credential: string): KeyPair {
  const [accessKey = "", secret = "", sessionToken] = credential.split(/[|,]/);
  return { accessKey, secret, ...(sessionToken === undefined ? {} : { sessionToken }) };
}
