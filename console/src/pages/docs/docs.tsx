import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link, useRoute } from "wouter";
import { ApiError } from "../../api/error.ts";
import { useTexts } from "../../app/language.ts";
import { classes } from "../../ui/classes.ts";
import { SearchInput } from "../../ui/search-input.tsx";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { operationsOf, type ApiDocument, type Listed } from "./document.ts";
import { OperationView } from "./operation-view.tsx";
import { DOCS_TEXTS } from "./texts.ts";

/** All operations from the gateway's own document, each to try. */
export function Page() {
  const t = useTexts(DOCS_TEXTS);
  const [params] = useQueryState();
  const [, opened] = useRoute("/docs/api/:id");
  const document = useQuery({
    queryKey: ["openapi"],
    staleTime: Infinity,
    queryFn: async () => {
      const response = await fetch("/openapi.json");
      if (!response.ok) throw await ApiError.from(response);
      return (await response.json()) as ApiDocument;
    },
  });
  const all = useMemo(
    () => (document.data === undefined ? [] : operationsOf(document.data)),
    [document.data],
  );
  const search = params.get("q") ?? "";
  const wanted = search.toLowerCase();
  const found = all.filter(({ path, summary = "", id }) =>
    [path, summary, id].some((text) => text.toLowerCase().includes(wanted)),
  );
  const operation = all.find(({ id }) => id === opened?.id);
  const query = search === "" ? "" : `?${params}`;
  return (
    <PageFrame title={t.title} equal={{ path: "/openapi.json" }}>
      {document.error !== null && (
        <Problem error={document.error} onRetry={() => void document.refetch()} />
      )}
      <div className="flex min-h-0 flex-1 flex-col gap-4 lg:flex-row">
        <nav
          aria-label={t.title}
          className="flex max-h-96 shrink-0 flex-col gap-2 lg:max-h-none lg:w-96"
        >
          <SearchInput label={t.search} className="w-full" />
          <div
            className="border-line bg-surface min-h-0 flex-1 overflow-y-auto rounded-md border"
            tabIndex={-1}
          >
            {document.isPending && <div className="skeleton m-3 h-64" aria-busy="true" />}
            {[...Map.groupBy(found, ({ tag }) => tag)].map(([tag, operations]) => (
              <Group
                key={tag}
                tag={tag}
                operations={operations}
                opened={operation?.id}
                query={query}
              />
            ))}
            {document.data !== undefined && found.length === 0 && (
              <p className="text-muted p-3 text-sm">{t.nothing}</p>
            )}
          </div>
        </nav>
        <div className="min-w-0 flex-1 overflow-y-auto">
          {operation !== undefined && document.data !== undefined ? (
            <OperationView key={operation.id} operation={operation} document={document.data} />
          ) : (
            <Empty title={t.choose}>
              <a href="/openapi.json" className="text-accent underline">
                {t.document}
              </a>
            </Empty>
          )}
        </div>
      </div>
    </PageFrame>
  );
}

function Group({
  tag,
  operations,
  opened,
  query,
}: {
  readonly tag: string;
  readonly operations: readonly Listed[];
  readonly opened: string | undefined;
  readonly query: string;
}) {
  return (
    <section>
      <h2 translate="no" className="bg-bg text-muted sticky top-0 px-3 py-1 text-xs font-medium">
        {tag}
      </h2>
      <ul>
        {operations.map(({ id, method, path, summary }) => (
          <li key={id}>
            <Link
              href={`/docs/api/${id}${query}`}
              title={summary}
              aria-current={id === opened ? "page" : undefined}
              className={classes(
                "flex items-baseline gap-2 px-3 py-1 font-mono text-xs",
                id === opened ? "bg-accent-soft text-accent" : "hover:bg-hover",
              )}
            >
              <span className="text-muted w-12 shrink-0">{method}</span>
              <span className="truncate">{path}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
