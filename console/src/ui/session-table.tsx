import type { Schemas } from "../api/client.ts";
import { useTexts } from "../app/language.ts";
import { Badge } from "./badge.tsx";
import { Button } from "./button.tsx";
import { Table } from "./table.tsx";
import { UI_TEXTS } from "./texts.ts";
import { Ago } from "./time.tsx";

type Session = Schemas["Session"];

/** Sessions of a user, each with a button that ends it; the current one has none. */
export function SessionTable({
  sessions,
  onEnd,
}: {
  readonly sessions: readonly Session[] | undefined;
  readonly onEnd: (id: string) => void;
}) {
  const t = useTexts(UI_TEXTS).session;
  return (
    <Table
      label={t.label}
      rows={sessions}
      rowKey={({ id }) => id}
      empty={<p className="text-muted text-sm">{t.none}</p>}
      columns={[
        { name: "browser", label: t.browser, cell: (each) => <Browser agent={each.user_agent} /> },
        {
          name: "network",
          label: t.network,
          width: "10rem",
          from: "sm",
          cell: ({ network }) => network ?? "–",
        },
        { name: "seen", label: t.seen, width: "9rem", cell: ({ seen_at: at }) => <Ago at={at} /> },
        {
          name: "end",
          label: "",
          width: "7rem",
          cell: ({ id, is_own: isOwn }) =>
            isOwn ? (
              <Badge tone="info">{t.thisOne}</Badge>
            ) : (
              <Button look="quiet" className="text-bad h-7" onClick={() => onEnd(id)}>
                {t.end}
              </Button>
            ),
        },
      ]}
    />
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
