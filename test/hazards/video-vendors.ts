/** Where a gateway can be killed, as its vendors and its callers see it. */
export const LABELS = ["before", "post", "answered", "look", "done", "told"] as const;
type Label = (typeof LABELS)[number];

interface Made {
  readonly id: string;
  readonly prompt: string;
  readonly externalId: string | undefined;
  looks: number;
}

/**
 * Two vendors and a receiver of notices. The one can be asked for tasks by an
 * id of ours, the other cannot; both finish a video at the second look.
 */
export function openVendors() {
  const made: Made[] = [];
  const told: { readonly id: string; readonly body: string; readonly wasTaken: boolean }[] = [];
  let armed: { readonly label: Label; readonly kill: () => void } | undefined;

  const strike = (label: Label): boolean => {
    if (armed?.label !== label) return false;
    const { kill } = armed;
    armed = undefined;
    kill();
    return true;
  };
  const create = (prompt: string, externalId?: string): Made => {
    const each = { id: `v-${made.length + 1}`, prompt, externalId, looks: 0 };
    made.push(each);
    return each;
  };
  const looked = (each: Made): boolean => {
    each.looks++;
    strike("look");
    const isDone = each.looks > 1;
    if (isDone) setTimeout(() => strike("done"), 0);
    return isDone;
  };
  const created = (answer: object): Response => {
    // The request has arrived, and nobody will hear the answer.
    strike("post");
    setTimeout(() => strike("answered"), 0);
    return Response.json(answer);
  };

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/told") {
        const wasTaken = !strike("told");
        const id = request.headers.get("webhook-id") ?? "";
        told.push({ id, body: await request.text(), wasTaken });
        return Response.json({});
      }
      if (pathname.startsWith("/kling/text-to-video/")) {
        const { prompt, options } = (await request.json()) as {
          prompt: string;
          options: { external_task_id: string };
        };
        const { id, externalId } = create(prompt, options.external_task_id);
        return created(kling({ id, status: "submitted", external_id: externalId }));
      }
      if (pathname === "/kling/tasks") {
        const id = searchParams.get("task_ids");
        const externalId = searchParams.get("external_task_ids");
        const found = made.filter((each) =>
          id === null ? each.externalId === externalId : each.id === id,
        );
        return Response.json(
          kling(
            found.map((each) => (id === null ? taskOf(each, false) : taskOf(each, looked(each)))),
          ),
        );
      }
      if (pathname === "/ark/contents/generations/tasks") {
        const { content } = (await request.json()) as { content: { text?: string }[] };
        return created({ id: create(content[0]?.text ?? "").id });
      }
      const found = made.find(({ id }) => pathname.endsWith(`/${id}`));
      if (found === undefined)
        return Response.json({ error: { code: "NotFound" } }, { status: 404 });
      const content = { video_url: `https://cdn.example/${found.id}.mp4` };
      return Response.json(
        looked(found)
          ? { id: found.id, status: "succeeded", content, duration: 5 }
          : { id: found.id, status: "running" },
      );
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port ?? 0,
    /** Resolves once the gateway was killed there. */
    killAt(label: Label, kill: () => void): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      armed = {
        label,
        kill() {
          kill();
          resolve();
        },
      };
      return promise;
    },
    /** Nobody is killed any more. */
    spare(): void {
      armed = undefined;
    },
    ids: (): readonly string[] => made.map(({ id }) => id),
    /** How often a vendor was asked for each. */
    submitsOf: (prompts: readonly string[]): readonly number[] =>
      prompts.map((prompt) => made.filter((each) => each.prompt === prompt).length),
    /** Notices of one id with different contents. */
    toldTwice(): readonly string[] {
      const bodies = new Map<string, Set<string>>();
      for (const { id, body } of told) {
        const known = bodies.get(id) ?? new Set();
        bodies.set(id, known.add(body));
      }
      return [...bodies].filter(([, different]) => different.size > 1).map(([id]) => id);
    },
    /** Those of which the end was never told. */
    toldOf: (ids: readonly string[]): readonly string[] =>
      ids.filter((id) => !told.some((each) => each.id === `${id}.succeeded` && each.wasTaken)),
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function kling(data: object): object {
  return { code: 0, message: "SUCCEED", request_id: "r", data };
}

function taskOf({ id, externalId }: Made, isDone: boolean): object {
  const outputs = [{ type: "video", id: "o", url: `https://cdn.example/${id}.mp4`, duration: "5" }];
  return {
    id,
    external_id: externalId,
    status: isDone ? "succeeded" : "processing",
    message: "",
    create_time: 1,
    update_time: 2,
    outputs: isDone ? outputs : [],
  };
}
