import type { PasswordCost } from "#storage/access/passwords.ts";

/** The least that argon2id takes: tests hash hundreds of passwords, and none of them is a secret. */
export const LOW_PASSWORD_COST: PasswordCost = { memoryKib: 8, passes: 1 };
