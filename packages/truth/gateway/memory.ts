import { readdirSync, readFileSync } from "node:fs";

const PAGE_BYTES = 4096;
/** Place of the group's id in the part of `stat` after the program's name. */
const GROUP_FIELD = 2;

/** Resident memory of the processes of a group, in bytes; undefined if the system does not tell. */
export function memoryOfGroup(group: number): number | undefined {
  let total: number | undefined;
  for (const pid of pids()) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(fields[GROUP_FIELD]) !== group) continue;
      const [, resident] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
      total = (total ?? 0) + Number(resident) * PAGE_BYTES;
    } catch {
      // The process has ended.
    }
  }
  return total;
}

function pids(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
