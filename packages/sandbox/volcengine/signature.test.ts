import { expect, test } from "bun:test";
import { checkSignature } from "./signature.ts";

/** Signatures that others have made, each with what was signed. */
const VECTORS = [
  {
    query: "Action=CVSync2AsyncGetResult&Version=2022-08-31",
    body: '{"req_key":"jimeng_vgfm_t2v_l20","task_id":"abc"}',
    host: "visual.volcengineapi.com",
    time: "20240115T120000Z",
    pair: "AKTEST|SKTEST",
    region: "cn-north-1",
    service: "cv",
    hash: "2e83d6a6ed2aef0fb0dd7125abe5bad97718ec9bd6be63d52418921ea3133955",
    signature: "5cbe194cc35a9fe8a0dcf34cbfc8f10d2c989caa3059aa6fe4f186977c0fef7a",
  },
  {
    query: "Version=2024-01-01&Action=GetAsset&Filter=a+b&Filter=a%2Bb",
    body: '{"Id":"asset-1","ProjectName":"project3"}',
    host: "ark.ap-southeast-1.byteplusapi.com",
    time: "20260729T123456Z",
    pair: "test-ak|test-secret",
    region: "ap-southeast-1",
    service: "ark",
    hash: "156617727cf37ec13384e0ca80bbf694d0cfd02b3293bf1cad160c2479da6daf",
    signature: "15b9c14125104cf5670559249a95d6cb85595bb56a70cbe5037ac1c302b223fc",
  },
  {
    query: "Action=CreateAsset&Version=2024-01-01",
    body: '{"GroupId":"group-1","URL":"https://example.com/a.png","AssetType":"Image"}',
    host: "open.volcengineapi.com",
    time: "20260101T000000Z",
    pair: "AKTEST|SKTEST",
    region: "cn-beijing",
    service: "ark",
    hash: "1375ee526952e79d49f5b36d70af7e1906ce30dfcf681242f703be1262bddf5c",
    signature: "350c4118a71c22ab4ca74d10281c4b176743f0e2969629031c0f59053a8e2cd6",
  },
] as const;

interface Signed {
  readonly query: string;
  readonly body: string;
  readonly host: string;
  readonly time: string;
  readonly pair: string;
  readonly region: string;
  readonly service: string;
  readonly hash: string;
  readonly signature: string;
}

function check(signed: Signed): string {
  const { query, body, host, time, pair, region, service, hash, signature } = signed;
  const scope = `${pair.split("|")[0]}/${time.slice(0, 8)}/${region}/${service}/request`;
  const names = "content-type;host;x-content-sha256;x-date";
  const at = Date.parse(
    time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
  const headers = {
    "content-type": "application/json",
    host,
    "x-content-sha256": hash,
    "x-date": time,
    authorization: `HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
  const request = { method: "POST", path: "/", query: new URLSearchParams(query), headers };
  const bytes = new TextEncoder().encode(body);
  const rules = { apiKeys: [pair], now: at, service, regions: [region] };
  return checkSignature({ ...request, bytes }, rules).accessKey;
}

test.each([...VECTORS])("a signature for $host by another implementation is valid", (signed) => {
  expect(check(signed)).toBe(signed.pair.split("|")[0] ?? "");
});

test.each([...VECTORS])(
  "any change of a request for $host makes its signature invalid",
  (signed) => {
    const changes: readonly Partial<Signed>[] = [
      { query: `${signed.query}&More=1` },
      { body: `${signed.body} ` },
      { host: "elsewhere.example" },
      { time: signed.time.replace("00Z", "01Z").replace("56Z", "57Z") },
      { pair: `${signed.pair}x` },
      { region: "us-east-1" },
      { hash: "0".repeat(64) },
      { signature: "0".repeat(64) },
      { signature: "é".repeat(64) },
      { signature: "" },
    ];

    for (const change of changes)
      expect(() => check({ ...signed, ...change })).toThrow("The signature is not that");
  },
);
