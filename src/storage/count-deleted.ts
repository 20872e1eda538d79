/** Runs a deletion and returns the number of deleted rows. */
export async function countDeleted(deletion: {
  executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }>;
}): Promise<number> {
  return Number((await deletion.executeTakeFirstOrThrow()).numDeletedRows);
}
