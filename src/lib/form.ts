import { randomBytes } from "node:crypto";
import type { LongBase64 } from "./long-base64.ts";
import { Pieces, type PieceSource } from "./pieces.ts";

/** A body of named parts, including files, as HTML forms send it. */
export class Form<Part extends SentPart = FormPart> {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  /** A copy with some values set, or removed if undefined. */
  with(values: Readonly<Record<string, string | undefined>>): Form<Part | FormField> {
    const kept = this.parts.filter(({ name }) => !Object.hasOwn(values, name));
    const set = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    );
    return new Form([...set, ...kept]);
  }

  /**
   * Encodes `multipart/form-data` as in https://www.rfc-editor.org/rfc/rfc7578
   * and as browsers do.
   */
  encode(): { readonly contentType: string; readonly body: Pieces } {
    const boundary = `sluice-${randomBytes(16).toString("hex")}`;
    const pieces = this.parts.flatMap((part) => {
      const head = `--${boundary}\r\n${headOf(part)}\r\n\r\n`;
      return [head, contentOf(part), "\r\n"];
    });
    const body = new Pieces([...pieces, `--${boundary}--\r\n`]);
    return { contentType: `multipart/form-data; boundary=${boundary}`, body };
  }
}

export type FormPart = FormField | FormFile;

interface FormField {
  readonly name: string;
  readonly value: string;
}

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A file in base64 that is decoded while it is sent. */
interface LongFile extends Omit<FormFile, "bytes"> {
  readonly base64: LongBase64;
}

/** A part of an outgoing form. */
export type SentPart = FormPart | LongFile;
export type SentForm = Form<SentPart>;

function contentOf(part: SentPart): string | Uint8Array | PieceSource {
  if ("value" in part) return part.value;
  return "bytes" in part ? part.bytes : part.base64.content;
}

function headOf(part: SentPart): string {
  const named = `Content-Disposition: form-data; name="${escaped(part.name)}"`;
  if ("value" in part) return named;
  const type = part.mediaType.replaceAll(/[\r\n]/g, "");
  return `${named}; filename="${escaped(part.filename)}"\r\nContent-Type: ${type}`;
}

/** Escapes characters that would end the quotes or the line. */
function escaped(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
