import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { milliseconds } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { Facts } from "./model-client.ts";
import { PLAYGROUND_TEXTS } from "./texts.ts";

interface ExchangeViewProps {
  readonly title: string;
  readonly request: unknown;
  /** The answer as it came, or its events. */
  readonly raw: unknown;
  readonly facts: Facts | undefined;
  readonly error: unknown;
  /** Further facts in the head, such as counts of tokens. */
  readonly notes?: ReactNode;
  readonly children: ReactNode;
}

/** The answer beside the raw request and the raw answer, and what was lost between them. */
export function ExchangeView({
  title,
  request,
  raw,
  facts,
  error,
  notes,
  children,
}: ExchangeViewProps) {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [tab, setTab] = useState("result");
  const isNew = request === undefined && facts === undefined && error === undefined;
  return (
    <section
      aria-label={title}
      className="border-line bg-surface flex min-w-0 flex-1 flex-col rounded-md border"
    >
      <header className="border-line flex flex-wrap items-center gap-2 border-b px-3 py-1.5 text-sm">
        <h2 className="mr-auto truncate text-sm">{title}</h2>
        {facts?.isSimulated === true && <Badge tone="warn">{t.simulated}</Badge>}
        {facts !== undefined && (
          <span className="text-muted figures text-xs">
            {t.firstByte(milliseconds(facts.firstByteMs))}
          </span>
        )}
        <span className="text-muted figures text-xs">{notes}</span>
        {facts?.callId !== undefined && (
          <Link href={`/logs/${facts.callId}`} className="text-accent text-xs hover:underline">
            {t.openLog}
          </Link>
        )}
      </header>
      <Tabs
        label={title}
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "result", label: t.result },
          { value: "request", label: t.request },
          { value: "raw", label: t.raw },
        ]}
      />
      <div className="min-w-0 p-3 text-sm">
        {isNew && <p className="text-muted">{t.nothingYet}</p>}
        {tab === "result" && (
          <div className="flex flex-col gap-3">
            {error !== undefined && <Problem error={error} />}
            {facts !== undefined && facts.lossy.length > 0 && (
              <p className="text-warn text-xs">
                {t.lossy}: <span className="font-mono">{facts.lossy.join(", ")}</span>
              </p>
            )}
            {children}
          </div>
        )}
        {tab === "request" && !isNew && <Json value={request} />}
        {tab === "raw" && !isNew && <Json value={raw} />}
      </div>
    </section>
  );
}

const MAX_SHOWN = 400;

/** JSON with long texts, such as pictures, cut in the middle. */
export function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(
    value ?? null,
    (_, each: unknown) =>
      typeof each === "string" &&
      each.length > MAX_SHOWN &&
      /^(data:|[A-Za-z0-9+/=_-]+$)/.test(each)
        ? `${each.slice(0, 60)}… (${each.length})`
        : each,
    2,
  );
  return (
    <pre
      tabIndex={0}
      className="max-h-[60vh] overflow-auto font-mono text-xs leading-5 whitespace-pre-wrap break-words"
    >
      {text}
    </pre>
  );
}
