/** Between the task id and the index of its video; not a hexadecimal digit. */
const SEPARATOR = "z";
const NAME = /^((?:[0-9a-f]{2})+)(?:z(\d{1,4}))?$/;

/** The native style's clients accept only lower-case letters and digits in a file name. */
export function fileNameOf(taskId: string, index: number): string {
  const id = Buffer.from(taskId).toString("hex");
  return index === 0 ? id : `${id}${SEPARATOR}${index}`;
}

/** Undefined for a name that the gateway did not create. */
export function readFileName(
  name: string,
): { readonly taskId: string; readonly index: number } | undefined {
  const [, hex, index = "0"] = NAME.exec(name) ?? [];
  if (hex === undefined) return undefined;
  return { taskId: Buffer.from(hex, "hex").toString(), index: Number(index) };
}
