import { randomBytes } from "node:crypto";

/** A body of named parts, files among them, as HTML forms send it. */
export class Form {
  readonly parts: readonly FormPart[];

  constructor(parts: readonly FormPart[]) {
    this.parts = parts;
  }

  /** The same with some values set, or left out where undefined. */
  with(values: Readonly<Record<string, string | undefined>>): Form {
    const kept = this.parts.filter(({ name }) => !Object.hasOwn(values, name));
    const set = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    );
    return new Form([...set, ...kept]);
  }

  /** `multipart/form-data`, as https://www.rfc-editor.org/rfc/rfc7578 and browsers have it. */
  encode(): { readonly contentType: string; readonly bytes: Uint8Array } {
    const boundary = `sluice-${randomBytes(16).toString("hex")}`;
    const pieces = this.parts.flatMap((part) => {
      const head = Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`);
      const body = "value" in part ? Buffer.from(part.value) : part.bytes;
      return [head, body, CRLF];
    });
    const bytes = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
    return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
  }
}

export type FormPart = FormField | FormFile;

export interface FormField {
  readonly name: string;
  readonly value: string;
}

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

const CRLF = Buffer.from("\r\n");

function headOf(part: FormPart): string {
  const named = `Content-Disposition: form-data; name="${escaped(part.name)}"`;
  if ("value" in part) return named;
  const type = part.mediaType.replaceAll(/[\r\n]/g, "");
  return `${named}; filename="${escaped(part.filename)}"\r\nContent-Type: ${type}`;
}

/** Whatever would end the quotes or the line. */
function escaped(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
