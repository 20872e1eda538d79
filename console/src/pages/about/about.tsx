import { Link } from "wouter";
import about from "../../../generated/about.json";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Filters } from "../../ui/filters.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import { count } from "../../ui/format.ts";
import { Empty, Page as PageFrame, Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table } from "../../ui/table.tsx";
import { Ago } from "../../ui/time.tsx";
import { ABOUT_TEXTS } from "./texts.ts";

/** Version, system, changes and the libraries with their licences. */
export function Page() {
  const t = useTexts(ABOUT_TEXTS);
  return (
    <PageFrame title={t.title} equal={{ path: "/api/about" }} command="sluice version">
      <div className="flex max-w-4xl flex-col gap-5">
        <Facts />
        <Changes />
        <Libraries />
      </div>
    </PageFrame>
  );
}

function Facts() {
  const t = useTexts(ABOUT_TEXTS);
  const facts = hooks.useQuery("get", "/api/about");
  const { version, system = null } = facts.data?.data ?? {};
  const rows = [
    [t.version, version ?? "–"],
    [t.licence, "Apache-2.0"],
    ...(system === null
      ? []
      : [
          [t.database, t.databases[system.database]],
          [t.runtime, system.runtime],
          [t.platform, system.platform],
        ]),
  ] as const;
  return (
    <>
      {facts.error !== null && <Problem error={facts.error} />}
      <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
        {rows.map(([label, value]) => (
          <div key={label} className="flex min-w-0 gap-2">
            <dt className="text-muted w-36 shrink-0">{label}</dt>
            <dd className="figures" translate="no">
              {value}
            </dd>
          </div>
        ))}
        {system !== null && (
          <div className="flex min-w-0 gap-2">
            <dt className="text-muted w-36 shrink-0">{t.started}</dt>
            <dd className="figures">
              <Ago at={system.started_at} />
            </dd>
          </div>
        )}
      </dl>
      <nav aria-label={t.links} className="flex flex-wrap gap-4 text-sm">
        <Link href="/docs/api" className="text-accent hover:underline">
          {t.reference}
        </Link>
        <a href="/readyz" className="text-accent hover:underline">
          {t.status}
        </a>
      </nav>
    </>
  );
}

function Changes() {
  const t = useTexts(ABOUT_TEXTS);
  const { version, parts } = about.changes;
  if (parts.length === 0) return null;
  return (
    <Section title={t.changes(version)}>
      <p className="text-muted text-xs">{t.changesHint}</p>
      {parts.map(({ title, items }) => (
        <details key={title} translate="no" lang="en">
          <summary className="text-sm font-medium">
            {title} ({count(items.length)})
          </summary>
          <ul className="mt-1 flex list-disc flex-col gap-1 pl-5 text-sm break-words">
            {items.map((item) => (
              <li key={item}>{item.replaceAll("`", "")}</li>
            ))}
          </ul>
        </details>
      ))}
    </Section>
  );
}

function Libraries() {
  const t = useTexts(ABOUT_TEXTS);
  const [params, setParams] = useQueryState();
  const q = (params.get("q") ?? "").toLowerCase();
  const shown = about.libraries.filter(({ name }) => name.toLowerCase().includes(q));
  const keyOf = ({ name, version }: (typeof shown)[number]) => `${name} ${version}`;
  const open = about.libraries.find((library) => keyOf(library) === params.get("library"));
  return (
    <Section title={t.libraries(count(about.libraries.length))}>
      <p className="text-muted text-xs">{t.librariesHint}</p>
      <Filters>
        <SearchInput label={t.search} />
      </Filters>
      <Table
        label={t.libraries(count(about.libraries.length))}
        rows={shown}
        rowKey={keyOf}
        href={(library) => {
          const next = new URLSearchParams(params);
          next.set("library", keyOf(library));
          return `/about?${next}`;
        }}
        empty={<Empty title={t.nothing} />}
        columns={[
          { name: "name", label: t.name, cell: ({ name }) => name },
          { name: "version", label: t.version, width: "5.5rem", cell: ({ version }) => version },
          { name: "terms", label: t.terms, width: "7rem", cell: ({ license }) => license },
        ]}
      />
      {open !== undefined && (
        <Dialog
          shape="wide"
          title={<span translate="no">{`${open.name} ${open.version}`}</span>}
          onClose={() => setParams({ library: undefined })}
        >
          {open.text === null ? (
            <p className="text-sm">{t.noText}</p>
          ) : (
            <pre tabIndex={0} className="font-mono text-xs break-words whitespace-pre-wrap">
              {about.texts[open.text]}
            </pre>
          )}
        </Dialog>
      )}
    </Section>
  );
}
