import { describe, expect, test } from "bun:test";
import type { AuditEntry } from "#core/audit.ts";
import { GatewayError } from "#core/error.ts";
import type { User } from "#core/user.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { handleAudited, isAudited, noteRefusal } from "./audit.ts";
import { ANONYMOUS_CALLER, type Caller } from "./authenticate.ts";
import { bodySlotsFor, HttpExchange } from "./exchange.ts";
import { RefusalSample } from "./refusal-sample.ts";
import type { Permission, Route } from "./routes.ts";

const NOW = 1_000_000;
const USER: User = {
  id: 7,
  name: "ada",
  displayName: "Ada",
  role: "admin",
  isEnabled: true,
  hasPassword: true,
  hasSecondFactor: false,
  createdAt: 0,
};
const CALLER: Caller = { user: USER, proof: "token" };
const ADMINS: Permission = { access: "admin", scope: "users:write" };
const MAX_ROWS = 100;

interface RequestTerms {
  readonly permission?: Permission;
  readonly caller?: Caller;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly address?: string | undefined;
  /** The error of the n-th row, counted from 1. */
  readonly failingRow?: number;
  readonly handle?: (exchange: { note(details: object): void }) => Response;
  readonly maxBodyBytes?: number;
}

/** A request of the management API, with the rows of the audit log that it leaves. */
function stage(asked: RequestTerms = {}) {
  const {
    permission = ADMINS,
    caller = CALLER,
    headers = {},
    body = '{"name":"x","secret":"y"}',
  } = asked;
  const rows: AuditEntry[] = [];
  const troubles: string[] = [];
  const clock = { now: () => NOW, monotonic: () => 0 };
  const deps = {
    audit: {
      async write(entry: AuditEntry) {
        rows.push(entry);
        if (rows.length === asked.failingRow) throw new Error("The disk is full.");
      },
    },
    refusals: new RefusalSample(clock),
    clock,
    onError: (error: GatewayError, id: string) => void troubles.push(`${id}: ${error.code}`),
  };
  const route: Route = {
    method: "POST",
    path: "/api/user/:id",
    ...permission,
    operationId: "changeUser",
    tag: "Users",
    summary: "Changes a user.",
    answer: { description: "The user.", content: {} },
    requestSchema: () => ({ type: "object", properties: { name: { type: "string" } } }),
    ...(asked.maxBodyBytes === undefined ? {} : { maxBodyBytes: asked.maxBodyBytes }),
    renderError: () => ({}),
    handle: asked.handle ?? (() => new Response("", { status: 201 })),
  };
  const exchange = new HttpExchange(
    new Request("http://gate/api/user/31", { method: "POST", headers, body }),
    "request-1",
    caller,
    (name) => (name === "id" ? "31" : undefined),
    {
      jsonDepth: 64,
      ...bodySlotsFor(1),
      deadlines: new Deadlines(clock),
      answerHeaders: [],
      clientOf: () => ({
        address: "address" in asked ? asked.address : "192.0.2.1",
        isSecure: true,
      }),
      setIdleSeconds() {},
    },
  );
  return { rows, troubles, deps, route, exchange };
}

/** The status of the answer, or the code of the error, with all that was noted. */
async function audited(asked: RequestTerms = {}) {
  const { rows, troubles, deps, route, exchange } = stage(asked);
  const answer = await handleAudited(route, exchange, deps).then(
    ({ status }) => status,
    (cause: unknown) => GatewayError.from(cause).code,
  );
  return { answer, rows, troubles, deps };
}

const refusing =
  (code: "forbidden" | "internal"): (() => never) =>
  () => {
    throw new GatewayError(code, "No.");
  };

test("a route is audited if it may change something outside the journal of calls", () => {
  const changes = ["public", "user", "auditor", "admin", "root", "mfa_pending", "link"] as const;
  for (const access of changes) {
    expect(isAudited({ method: "POST", access })).toBe(true);
    expect(isAudited({ method: "GET", access })).toBe(false);
    expect(isAudited({ method: "GET", access, isAction: true })).toBe(true);
  }
  for (const access of ["key", "metrics", "vendor"] as const) {
    expect(isAudited({ method: "POST", access })).toBe(false);
  }
});

describe("an audited action", () => {
  test("writes a row before it, and one after it with its status", async () => {
    const headers = { "user-agent": "x".repeat(300) };
    const { answer, rows } = await audited({
      headers,
      handle(exchange) {
        exchange.note({ changed: 1 });
        return new Response("", { status: 201 });
      },
    });

    expect(answer).toBe(201);
    const common = {
      at: NOW,
      actorId: 7,
      actor: "ada",
      role: "admin",
      proof: "token",
      address: "192.0.2.1",
      userAgent: "x".repeat(200),
      requestId: "request-1",
      action: "POST /api/user/:id",
      object: { id: "31" },
    } as const;
    expect(rows).toEqual([
      { ...common, details: { name: "x", secret: "[secret]" }, outcome: "asked", status: null },
      { ...common, details: { changed: 1 }, outcome: "done", status: 201 },
    ]);
  });

  test("of an unknown client has no user or key names", async () => {
    const { rows } = await audited({ caller: ANONYMOUS_CALLER, address: undefined });

    expect(rows[0]).toMatchObject({
      actorId: null,
      actor: null,
      role: null,
      proof: "none",
      address: null,
      userAgent: null,
    });
  });

  test("is recorded as refused or as failed, if it was", async () => {
    const refused = await audited({ handle: refusing("forbidden") });
    const failed = await audited({ handle: refusing("internal") });

    expect(refused.answer).toBe("forbidden");
    expect(refused.rows.slice(1)).toMatchObject([
      { outcome: "refused", status: 403, details: { fault: "forbidden" } },
    ]);
    expect(failed.rows.slice(1)).toMatchObject([
      { outcome: "failed", status: 500, details: { fault: "internal" } },
    ]);
  });

  test("does not run if its row cannot be written", async () => {
    let isBegun = false;
    const { answer } = await audited({
      failingRow: 1,
      handle() {
        isBegun = true;
        return new Response();
      },
    });

    expect(answer).toBe("internal");
    expect(isBegun).toBe(false);
  });

  test("is answered even if its second row cannot be written, and the operator gets an error", async () => {
    const done = await audited({ failingRow: 2 });
    const refused = await audited({ failingRow: 2, handle: refusing("forbidden") });

    expect([done.answer, done.troubles]).toEqual([201, ["request-1: internal"]]);
    expect([refused.answer, refused.troubles]).toEqual(["forbidden", ["request-1: internal"]]);
  });

  test("with a body that cannot be read has no details", async () => {
    for (const asked of [{ body: "{" }, { maxBodyBytes: 3 }]) {
      const { rows, answer } = await audited(asked);

      expect(rows[0]?.details).toEqual({});
      expect(answer).toBe(201);
    }
  });
});

describe("a public action", () => {
  const asked = { permission: { access: "public" }, caller: ANONYMOUS_CALLER } as const;
  const exhausted = (more: RequestTerms) => {
    const place = stage({ ...asked, ...more });
    for (let i = 0; i < MAX_ROWS; i++) place.deps.refusals.mayWrite("192.0.2.1");
    return place;
  };

  test("writes both rows as long as its address has few failures", async () => {
    const { rows } = await audited(asked);

    expect(rows.map(({ outcome }) => outcome)).toEqual(["asked", "done"]);
    expect(rows[1]?.details).toEqual({});
  });

  test("of an address with many failures writes a row only if it succeeds, with its details", async () => {
    const { rows, deps, route, exchange } = exhausted({});
    await handleAudited(route, exchange, deps);

    expect(rows).toMatchObject([{ outcome: "done", details: { name: "x", secret: "[secret]" } }]);
    expect(deps.refusals.counts).toEqual([]);
  });

  test("of an address with many failures is counted if it fails", async () => {
    const { rows, deps, route, exchange } = exhausted({ handle: refusing("forbidden") });
    await handleAudited(route, exchange, deps).catch(() => {});

    expect(rows).toEqual([]);
    expect(deps.refusals.counts).toMatchObject([[expect.any(String), 1]]);
  });

  test("is the only kind that may be left out of the log", async () => {
    const { rows, deps, route, exchange } = exhausted({ permission: ADMINS });
    await handleAudited(route, exchange, deps);

    expect(rows).toHaveLength(2);
  });
});

describe("a refused credential", () => {
  const withToken = { authorization: "Bearer wrong" };
  const noted = async ({
    code = "unauthenticated",
    rowsBefore = 0,
    ...asked
  }: RequestTerms & {
    readonly code?: "unauthenticated" | "forbidden" | "too_large";
    readonly rowsBefore?: number;
  }) => {
    const { rows, deps, route, exchange } = stage({ caller: ANONYMOUS_CALLER, ...asked });
    for (let i = 0; i < rowsBefore; i++) deps.refusals.mayWrite("192.0.2.1");
    await noteRefusal(route, exchange, new GatewayError(code, "No."), deps);
    return { rows, counted: deps.refusals.counts.length };
  };

  test("of the management API writes a row, by token and by session", async () => {
    const bySession = { cookie: "sluice_session=wrong" };
    for (const headers of [withToken, bySession]) {
      for (const access of ["mfa_pending", "user", "auditor", "admin", "root"] as const) {
        const permission = { access, scope: "users:write" } as const;
        expect(await noted({ permission, headers })).toMatchObject({
          rows: [{ outcome: "refused", status: 401, details: { fault: "unauthenticated" } }],
          counted: 0,
        });
      }
    }
    expect((await noted({ code: "forbidden", headers: withToken })).rows).toMatchObject([
      { outcome: "refused", status: 403, details: { fault: "forbidden" } },
    ]);
  });

  test("of a model call, another error, or a request without a credential writes no row", async () => {
    const none = { rows: [], counted: 0 };

    expect(await noted({ permission: { access: "key" }, headers: withToken })).toEqual(none);
    expect(await noted({ code: "too_large", headers: withToken })).toEqual(none);
    expect(await noted({})).toEqual(none);
    expect(await noted({ headers: { cookie: "sluice_session=" } })).toEqual(none);
  });

  test("is counted if its address has many rows", async () => {
    expect(await noted({ headers: withToken, rowsBefore: MAX_ROWS })).toEqual({
      rows: [],
      counted: 1,
    });
  });
});
