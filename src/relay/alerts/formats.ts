import { createHmac } from "node:crypto";
import type { DestinationAddress, DestinationKind } from "#core/alert.ts";
import { parseJson, type Json } from "#lib/json.ts";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { memberOf, numberOf, textOf } from "#lib/values.ts";
import { plainText, type AlertMessage } from "./message.ts";

/** One POST request. */
interface AlertRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Sending {
  /** The same for each attempt. */
  readonly id: string;
  readonly address: DestinationAddress & { readonly url: string };
  /** Unix ms of the attempt. */
  readonly now: number;
}

interface AlertFormat {
  write(message: AlertMessage, sending: Sending): AlertRequest;
  /** The reason of a failure that the status does not show. */
  refusal?(answer: Json | undefined): string | undefined;
}

const DISCORD_CHARS = 2_000;
const WECOM_BYTES = 2_048;
const DINGTALK_CHARS = 5_000;

export const FORMATS: Readonly<Record<Exclude<DestinationKind, "email">, AlertFormat>> = {
  /** https://www.standardwebhooks.com */
  webhook: {
    write(message, { id, address, now }) {
      const body = JSON.stringify(eventOf(message));
      const timestamp = Math.floor(now / 1_000);
      const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp) };
      const { url, secret } = address;
      if (secret === undefined) return post(url, body, headers);
      const signature = signatureOf(secret, { id, timestamp, body });
      return post(url, body, { ...headers, "webhook-signature": signature });
    },
  },

  slack: {
    write: (message, { address: { url } }) => {
      const text = plainText(message)
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;");
      return post(url, JSON.stringify({ text }));
    },
  },

  discord: {
    write: (message, { address: { url } }) => {
      const content = cut(plainText(message), DISCORD_CHARS);
      // A name in a text must not call people.
      return post(url, JSON.stringify({ content, allowed_mentions: { parse: [] } }));
    },
  },

  feishu: {
    write(message, { address: { url, secret }, now }) {
      const content = { msg_type: "text", content: { text: plainText(message) } };
      if (secret === undefined) return post(url, JSON.stringify(content));
      const timestamp = String(Math.floor(now / 1_000));
      // The signed text is the key, and nothing is signed.
      const sign = createHmac("sha256", `${timestamp}\n${secret}`).digest("base64");
      return post(url, JSON.stringify({ timestamp, sign, ...content }));
    },
    refusal: (answer) => failureIn(answer, "code", "msg"),
  },

  dingtalk: {
    write(message, { address: { url, secret }, now }) {
      const content = cut(plainText(message), DINGTALK_CHARS);
      const body = JSON.stringify({ msgtype: "text", text: { content } });
      if (secret === undefined) return post(url, body);
      const signed = new URL(url);
      const timestamp = String(now);
      const sign = createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64");
      signed.searchParams.set("timestamp", timestamp);
      signed.searchParams.set("sign", sign);
      return post(signed.href, body);
    },
    refusal: (answer) => failureIn(answer, "errcode", "errmsg"),
  },

  wecom: {
    write: (message, { address: { url } }) => {
      const content = cutBytes(plainText(message), WECOM_BYTES);
      return post(url, JSON.stringify({ msgtype: "text", text: { content } }));
    },
    refusal: (answer) => failureIn(answer, "errcode", "errmsg"),
  },
};

/** The body of a webhook. */
function eventOf({ event, at, alert }: AlertMessage) {
  return {
    type: `alert.${event}`,
    timestamp: new Date(at).toISOString(),
    data: {
      id: alert.id,
      rule: alert.ruleName,
      kind: alert.kind,
      subject: alert.subject,
      level: alert.level,
      text: alert.text,
      began_at: Math.floor(alert.beganAt / 1_000),
      ended_at: alert.endedAt === undefined ? null : Math.floor(alert.endedAt / 1_000),
    },
  };
}

function post(url: string, body: string, headers = {}): AlertRequest {
  return { url, body, headers: { "content-type": "application/json", ...headers } };
}

/** These services answer failures with status 200 and a code other than 0. */
function failureIn(answer: Json | undefined, codeName: string, textName: string) {
  const code = numberOf(memberOf(answer, codeName));
  if (code === 0) return undefined;
  const text = textOf(memberOf(answer, textName)) ?? "an answer of another form";
  return code === undefined ? text : `code ${code}: ${text}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= most) return text;
  const ellipsis = "…";
  const kept = bytes.subarray(0, most - Buffer.byteLength(ellipsis)).toString();
  return kept.replace(/\ufffd+$/, "") + ellipsis;
}

export function answerOf(text: string): Json | undefined {
  return parseJson(text);
}
