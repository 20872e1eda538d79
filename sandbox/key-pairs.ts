import type { VendorOptions } from "./vendor.ts";

/** The pair that is accepted where none are named, so that signatures are always checked. */
export const SANDBOX_PAIR = "ak-test|sk-test-secret-0123456789abcdef";

/** What an access key signs with; nothing where the key is not known. */
export function secretOf(accessKey: string, apiKeys: VendorOptions["apiKeys"]): string | undefined {
  const pairs = (apiKeys ?? [SANDBOX_PAIR]).filter(isPair).map((pair) => pair.split(/[|,]/));
  return pairs.find(([each]) => each === accessKey)?.[1];
}

export function isPair(key: string): boolean {
  return /[|,]/.test(key);
}
