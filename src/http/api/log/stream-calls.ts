import { z } from "zod";
import { matches } from "#core/call-filter.ts";
import type { User } from "#core/user.ts";
import { pushStream } from "#lib/push-stream.ts";
import { confirmUser } from "#http/authenticate.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import type { LiveView } from "#http/live-calls.ts";
import { SERVER_SENT_EVENTS, STREAM_HEADERS } from "#http/reply.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, LoginPermission } from "#http/routes.ts";
import { management } from "../management.ts";
import {
  FILTER,
  filterIn,
  MEMBERS_FILTER,
  numberIn,
  OWN_FILTER,
  type Filter,
} from "./call-query.ts";
import { AUDITORS_VIEW, ownView, teamView, type CallView } from "./call-view.ts";

interface StreamRoute extends LoginPermission {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
}

type StreamDeps = Pick<ReportDeps, "liveCalls" | "callers">;

const EVENTS = z
  .string()
  .describe(
    "Events `call`, whose data is an item of the list; `dropped` with the `count` of calls that a " +
      "slow client lost; `end` with the `reason`.",
  );

function streamRoute(
  route: StreamRoute,
  query: z.ZodObject<typeof OWN_FILTER.shape>,
  viewOf: (user: User) => CallView,
) {
  return management({
    ...route,
    method: "GET",
    tag: "Calls",
    query,
    answer: {
      description: "Server-sent events, until the client disconnects.",
      content: { "text/event-stream": EVENTS },
    },
    handle(exchange, deps: StreamDeps, { query: asked }) {
      const viewNow = (user: User): LiveView => liveView(viewOf(user), asked);
      const follow = (): ReadableStream => openStream(exchange, deps, route, viewNow);
      // The answer to HEAD has no body that could end the stream.
      return new Response(exchange.request.method === "HEAD" ? null : follow(), {
        headers: {
          ...STREAM_HEADERS,
          "content-type": SERVER_SENT_EVENTS,
          "cache-control": "no-store",
          "x-request-id": exchange.id,
        },
      });
    },
  });
}

function openStream(
  exchange: Exchange,
  { liveCalls, callers }: StreamDeps,
  permission: LoginPermission,
  viewNow: (user: User) => LiveView,
): ReadableStream<Uint8Array> {
  const { request, signal } = exchange;
  const user = requireUser(exchange);
  const reader = liveCalls.open({
    userId: user.id,
    after: numberIn(request.headers.get("last-event-id")),
    view: viewNow(user),
    check: async () => viewNow(await confirmUser(request, permission, callers)),
    signal,
  });
  return pushStream((sink) => reader.fill(sink));
}

function liveView({ scope, show }: CallView, { id, ...asked }: Filter): LiveView {
  const filter = filterIn(asked);
  return {
    show,
    matches: (call) =>
      (id === undefined || call.id === id) && matches(call, scope) && matches(call, filter),
  };
}

export const streamOwnCalls = streamRoute(
  {
    operationId: "streamOwnCalls",
    path: "/api/log/self/stream",
    access: "user",
    scope: "logs:read",
    summary: "Your calls as they end. `last-event-id` continues after an event.",
  },
  OWN_FILTER,
  ownView,
);

export const streamTeamCalls = streamRoute(
  {
    operationId: "streamTeamCalls",
    path: "/api/log/team/stream",
    access: "user",
    scope: "logs:read",
    summary: "Calls of the members of a team as they end, for its owners.",
  },
  MEMBERS_FILTER,
  teamView,
);

export const streamCalls = streamRoute(
  {
    operationId: "streamCalls",
    path: "/api/log/stream",
    access: "auditor",
    scope: "logs:read",
    summary: "Calls of all users as they end, with the channel that served them.",
  },
  FILTER,
  () => AUDITORS_VIEW,
);
