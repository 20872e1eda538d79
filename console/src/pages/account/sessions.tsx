import { useQueryClient } from "@tanstack/react-query";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { ACCOUNT_TEXTS } from "./texts.ts";

export function Sessions() {
  const t = useTexts(ACCOUNT_TEXTS);
  const client = useQueryClient();
  const sessions = hooks.useQuery("get", "/api/user/self/sessions");
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ["get", "/api/user/self/sessions"] });
  const end = hooks.useMutation("delete", "/api/user/self/sessions/{session}", {
    onSuccess: refresh,
  });
  const endOthers = hooks.useMutation("post", "/api/user/self/sessions/end", {
    onSuccess({ message }) {
      toast(message);
      refresh();
    },
  });
  return (
    <Section
      title={t.sessions}
      actions={
        <Button busy={endOthers.isPending} onClick={() => endOthers.mutate({})}>
          {t.endOthers}
        </Button>
      }
    >
      {sessions.error !== null && <Problem error={sessions.error} />}
      <Table
        label={t.sessions}
        rows={sessions.data?.data.items}
        rowKey={({ id }) => id}
        columns={[
          {
            name: "browser",
            label: t.browser,
            cell: (each) => <Browser agent={each.user_agent} />,
          },
          {
            name: "network",
            label: t.network,
            width: "10rem",
            from: "sm",
            cell: ({ network }) => network ?? "–",
          },
          {
            name: "seen",
            label: t.seen,
            width: "9rem",
            cell: ({ seen_at: at }) => <Ago at={at} />,
          },
          {
            name: "end",
            label: "",
            width: "7rem",
            cell: ({ id, is_own: isOwn }) =>
              isOwn ? (
                <Badge tone="info">{t.thisOne}</Badge>
              ) : (
                <Button
                  look="quiet"
                  className="text-bad h-7"
                  onClick={() => end.mutate({ params: { path: { session: id } } })}
                >
                  {t.end}
                </Button>
              ),
          },
        ]}
      />
    </Section>
  );
}

const BROWSERS = [
  ["Edg/", "Edge"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iOS"],
  ["iPad", "iPadOS"],
  ["Windows", "Windows"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
] as const;

/** A browser by its name and system; the whole of its own words on hover. */
function Browser({ agent }: { readonly agent: string | null }) {
  if (agent === null) return "–";
  const named = (names: readonly (readonly [part: string, name: string])[]) =>
    names.find(([part]) => agent.includes(part))?.[1];
  const text = [named(BROWSERS), named(SYSTEMS)].filter((each) => each !== undefined).join(", ");
  return <span title={agent}>{text || agent}</span>;
}
