/** Runs `count` jobs, at most `atOnce` at the same time; results have the jobs' order. */
export async function crowd<Result>(
  count: number,
  atOnce: number,
  job: (number: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      results[number] = await job(number);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return results;
}
