import { z } from "zod";
import { ASSET_TYPES } from "#core/asset.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { Form, FormFile } from "#lib/form.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { AssetListDeps } from "#http/deps/asset-list.ts";
import { requireUser } from "#http/require-user.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonSchemaOf } from "#http/schema.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { envelope } from "../management.ts";
import { OWN_ASSET, showOwnAsset } from "./asset-json.ts";

const FIELDS = z.strictObject({
  group_id: z.string().min(1).max(128).describe("A group of the gateway."),
  type: z.enum(ASSET_TYPES),
  name: z.string().max(64).optional(),
});

const FORM = FIELDS.extend({ file: z.string().meta({ format: "binary" }) });

/** Files that the gateway stores need no address of their own. */
export const uploadOwnAsset: Endpoint<Pick<AssetListDeps, "library" | "assetLinks" | "limits">> = {
  operationId: "uploadOwnAsset",
  tag: "Assets",
  method: "POST",
  path: "/api/asset/self/file",
  access: "user",
  scope: "assets:write",
  summary: "Adds an asset by its file, in a form, to a group whose files the gateway stores.",
  takesForm: true,
  requestSchema: () => jsonSchemaOf(FORM),
  answer: jsonAnswer(envelope(OWN_ASSET)),
  renderError: renderFailure,

  async handle(exchange, deps) {
    const { id: userId } = requireUser(exchange);
    const form = await exchange.readForm(deps.limits.mediaBodyBytes);
    if (form === undefined) {
      throw new GatewayError(
        "unsupported_media_type",
        "The Content-Type must be 'multipart/form-data'.",
      );
    }
    const { group_id: groupId, type, name } = fieldsOf(form);
    const file = fileOf(form);
    exchange.note({ group_id: groupId, type, size_bytes: file.bytes.length });
    using _pause = exchange.suspendIdleTimeout();
    const draft = { groupId, type, name: name ?? file.filename.slice(0, 64) };
    const asset = await deps.library.upload(userId, draft, file.bytes);
    return succeed(exchange.id, "The file was added.", showOwnAsset(asset, deps));
  },
};

function fieldsOf({ parts }: Form): z.output<typeof FIELDS> {
  const fields = parts.flatMap((part) => ("value" in part ? [[part.name, part.value]] : []));
  const read = FIELDS.safeParse(Object.fromEntries(fields));
  if (read.success) return read.data;
  const name = String(read.error.issues[0]?.path[0] ?? "group_id").slice(0, 64);
  const known = Object.keys(FORM.shape).join(", ");
  throw invalid(name, `'${name}' is missing or has an invalid value; the fields are: ${known}.`);
}

function fileOf({ parts }: Form): FormFile {
  const file = parts.find((part) => "bytes" in part && part.name === "file");
  if (file === undefined || !("bytes" in file)) {
    throw invalid("file", "'file' is missing: send the file as a part of the form.");
  }
  return file;
}
