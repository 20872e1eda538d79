import { expect, test } from "bun:test";
import { lastLine, troubleIn, type Evidence } from "./evidence.ts";

const secret = "a-secret-of-the-file";
const expected = { style: "responses", upstream: "messages", secret };

/** What is seen of an agent that works. */
const works: Evidence = {
  ended: {
    code: 0,
    isOutOfTime: false,
    stdout: `The read tool returned: The secret is ${secret}.\n`,
    stderr: "",
  },
  received: [
    { path: "/anthropic/v1/messages", body: "read notes.txt" },
    { path: "/anthropic/v1/messages", body: `the tool says ${secret}` },
  ],
  calls: [
    { style: "responses", outcome: "completed", fault: null },
    { style: "responses", outcome: "completed", fault: null },
  ],
};

test("an agent works if a tool has read the file and its answer was printed", () => {
  expect(troubleIn(works, expected)).toBeUndefined();
});

test("a request that the agent cancelled itself is no failure", () => {
  const canceled = { style: "responses", outcome: "canceled", fault: null };

  expect(troubleIn({ ...works, calls: [...works.calls, canceled] }, expected)).toBeUndefined();
});

const [first, second] = works.received;
test.each<[string, Partial<Evidence>, string]>([
  [
    "a call failed, even if a later one succeeded",
    { calls: [{ style: "responses", outcome: "failed", fault: "internal" }, ...works.calls] },
    `a call failed with internal: ${works.ended.stdout.trim()}`,
  ],
  [
    "it had to be ended",
    { ended: { ...works.ended, code: null, isOutOfTime: true, stderr: "retrying\n" } },
    "ran out of time after 2 calls: retrying",
  ],
  [
    "it ended with a failure",
    { ended: { ...works.ended, code: 1, stdout: "", stderr: "one\n\u001B[31mtwo\u001B[0m\n\n" } },
    "ended with 1: two",
  ],
  [
    "it called no upstream",
    { received: [], calls: [] },
    `nothing reached the upstream: ${works.ended.stdout.trim()}`,
  ],
  [
    "it spoke another style than it was set to",
    { calls: [{ style: "chat", outcome: "completed", fault: null }] },
    "spoke chat instead of responses",
  ],
  [
    "the upstream was called in another style than its own",
    { received: works.received.map((each) => ({ ...each, path: "/openai/v1/responses" })) },
    "the upstream was called at /openai/v1/responses",
  ],
  [
    "no tool ran, or its result was lost",
    { received: works.received.slice(0, 1) },
    `what the file says did not reach the upstream: ${works.ended.stdout.trim()}`,
  ],
  [
    "the secret came before any tool could run",
    { received: [second, first].filter((each) => each !== undefined) },
    "the secret was known before a tool could read it",
  ],
  [
    "the answer did not come back",
    { ended: { ...works.ended, stdout: `I read: ${secret}` } },
    `the answer was not printed: I read: ${secret}`,
  ],
])("an agent does not work if %s", (_what, change, trouble) => {
  expect(troubleIn({ ...works, ...change }, expected)).toBe(trouble);
});

test("the last line with content is quoted, up to a limit", () => {
  expect(lastLine("one\n two \n\n")).toBe("two");
  expect(lastLine("\n \n")).toBeUndefined();
  expect(lastLine("x".repeat(1_000))).toHaveLength(200);
});
