import { expect, test } from "bun:test";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { FORMATS } from "./formats.ts";
import { plainText, readMessage, type AlertMessage } from "./message.ts";

const NOW = 1_800_000_000_123;
const MESSAGE: AlertMessage = {
  event: "began",
  at: NOW,
  alert: {
    id: "alert_1",
    ruleName: "channel failing",
    kind: "channel_failing",
    subject: "east",
    level: 0,
    text: "Channel east: failing <b> & more",
    beganAt: NOW,
  },
};
const TEXT =
  "Alert: channel failing\nChannel east: failing <b> & more\nBegan: 2027-01-15T08:00:00Z";

function write(kind: keyof typeof FORMATS, url: string, secret?: string) {
  const address = secret === undefined ? { url } : { url, secret };
  const { body, ...rest } = FORMATS[kind].write(MESSAGE, { id: "msg_1", now: NOW, address });
  return { ...rest, body: JSON.parse(body) as unknown };
}

const JSON_TYPE = { "content-type": "application/json" };

test("a webhook is signed as other webhooks are", () => {
  const secret = `whsec_${Buffer.from("a secret of this test").toString("base64")}`;
  const url = "https://ops.example/alerts";
  const address = { url, secret };
  const request = FORMATS.webhook.write(MESSAGE, { id: "msg_1", now: NOW, address });

  expect(JSON.parse(request.body)).toEqual({
    type: "alert.began",
    timestamp: "2027-01-15T08:00:00.123Z",
    data: {
      id: "alert_1",
      rule: "channel failing",
      kind: "channel_failing",
      subject: "east",
      level: 0,
      text: "Channel east: failing <b> & more",
      began_at: 1_800_000_000,
      ended_at: null,
    },
  });
  expect(request.headers).toEqual({
    ...JSON_TYPE,
    "webhook-id": "msg_1",
    "webhook-timestamp": "1800000000",
    "webhook-signature": signatureOf(secret, {
      id: "msg_1",
      timestamp: 1_800_000_000,
      body: request.body,
    }),
  });
});

test("Slack gets the text with its special characters escaped", () => {
  const url = "https://hooks.slack.com/services/T/B/X";
  expect(write("slack", url)).toEqual({
    url,
    headers: JSON_TYPE,
    body: {
      text: "Alert: channel failing\nChannel east: failing &lt;b&gt; &amp; more\nBegan: 2027-01-15T08:00:00Z",
    },
  });
});

test("Discord gets the text, and mentions no person", () => {
  const url = "https://discord.com/api/webhooks/1/x";
  expect(write("discord", url)).toEqual({
    url,
    headers: JSON_TYPE,
    body: { content: TEXT, allowed_mentions: { parse: [] } },
  });
});

test("Feishu gets the text with a signature whose key is the timestamp and the secret", () => {
  const url = "https://open.feishu.cn/open-apis/bot/v2/hook/x";
  const content = { msg_type: "text", content: { text: TEXT } };
  expect(write("feishu", url)).toEqual({ url, headers: JSON_TYPE, body: content });
  // By Python: base64(hmac.new(b"1800000000\nsign me", b"", sha256).digest()).
  const sign = "BDAhOD62vzZEiTy6q9z+mU6R5Omy/UHF7T5X+20rnDI=";
  expect(write("feishu", url, "sign me")).toEqual({
    url,
    headers: JSON_TYPE,
    body: { timestamp: "1800000000", sign, ...content },
  });
});

test("DingTalk gets the text with a signature in the URL", () => {
  const url = "https://oapi.dingtalk.com/robot/send?access_token=x";
  const body = { msgtype: "text", text: { content: TEXT } };
  expect(write("dingtalk", url)).toEqual({ url, headers: JSON_TYPE, body });
  // By Python: quote_plus(base64(hmac.new(b"SEC1", b"1800000000123\nSEC1", sha256).digest())).
  const sign = "y7iBv6CfNPws3WSDWn3HB8QbrH81VG0NUXRqmXhlOxw%3D";
  expect(write("dingtalk", url, "SEC1")).toEqual({
    url: `${url}&timestamp=1800000000123&sign=${sign}`,
    headers: JSON_TYPE,
    body,
  });
});

test("WeCom gets the text, cut to its bytes between characters", () => {
  const url = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x";
  expect(write("wecom", url)).toEqual({
    url,
    headers: JSON_TYPE,
    body: { msgtype: "text", text: { content: TEXT } },
  });
  const long = { ...MESSAGE, alert: { ...MESSAGE.alert, text: "名".repeat(900) } };
  const { body } = FORMATS.wecom.write(long, { id: "1", now: NOW, address: { url } });
  const { content } = (JSON.parse(body) as { text: { content: string } }).text;
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(content)).toBeGreaterThan(2_040);
  expect(content).toMatch(/^[^\ufffd]*名…$/);
});

test("a failure with status 200 is found in the answers of three services", () => {
  const { feishu, dingtalk, wecom } = FORMATS;
  expect(feishu.refusal?.({ code: 0, msg: "success" })).toBeUndefined();
  expect(feishu.refusal?.({ code: 19_021, msg: "sign match fail" })).toBe(
    "code 19021: sign match fail",
  );
  expect(dingtalk.refusal?.({ errcode: 0, errmsg: "ok" })).toBeUndefined();
  expect(dingtalk.refusal?.({ errcode: 310_000, errmsg: "sign not match" })).toBe(
    "code 310000: sign not match",
  );
  expect(wecom.refusal?.({ errcode: 93_000, errmsg: "invalid webhook url" })).toBe(
    "code 93000: invalid webhook url",
  );
  expect(wecom.refusal?.(undefined)).toBe("an answer of another form");
});

test("a message about the end has both times, and one of another version is not read", () => {
  const ended = {
    ...MESSAGE,
    event: "ended" as const,
    alert: { ...MESSAGE.alert, endedAt: NOW + 60_000 },
  };
  expect(plainText(ended)).toMatch(
    /^Alert ended: channel failing\n.*\nBegan: .*\nEnded: .*01:00Z$/,
  );
  expect(readMessage(JSON.stringify(ended))).toEqual(ended);
  expect(readMessage('{"event":"sung"}')).toBeUndefined();
});

test("a webhook without a secret is not signed", () => {
  const { headers } = write("webhook", "https://ops.example/alerts");

  expect(headers).toEqual({
    ...JSON_TYPE,
    "webhook-id": "msg_1",
    "webhook-timestamp": "1800000000",
  });
});

test("a webhook about the end has its time in whole seconds", () => {
  const ended = { ...MESSAGE, alert: { ...MESSAGE.alert, endedAt: NOW + 60_000 } };
  const address = { url: "https://ops.example/alerts" };

  const { body } = FORMATS.webhook.write(ended, { id: "1", now: NOW, address });

  expect(JSON.parse(body)).toMatchObject({ data: { ended_at: 1_800_000_060 } });
});

test("a text is cut only if it is longer than a service takes", () => {
  const contentFor = (kind: "discord" | "wecom", length: number): string => {
    const rest = plainText({ ...MESSAGE, alert: { ...MESSAGE.alert, text: "" } }).length;
    const long = { ...MESSAGE, alert: { ...MESSAGE.alert, text: "x".repeat(length - rest) } };
    const address = { url: "https://chat.example" };
    const { body } = FORMATS[kind].write(long, { id: "1", now: NOW, address });
    const said = JSON.parse(body) as { content?: string; text?: { content: string } };
    return said.content ?? said.text?.content ?? "";
  };

  expect(contentFor("discord", 2_000)).toEndWith("00:00Z");
  expect(contentFor("discord", 2_001)).toEndWith("00:0…");
  expect(contentFor("discord", 2_001)).toHaveLength(2_000);
  expect(contentFor("wecom", 2_048)).toEndWith("00:00Z");
  expect(contentFor("wecom", 2_049)).toEndWith("…");
});
