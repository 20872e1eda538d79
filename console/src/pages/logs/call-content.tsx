import { useState } from "react";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { At } from "../../ui/time.tsx";
import { LOG_TEXTS } from "./texts.ts";

/** Request and answer as text. They are read on request alone, because each reading is audited. */
export function CallContent({ id, isAdmin }: { readonly id: string; readonly isAdmin: boolean }) {
  const t = useTexts(LOG_TEXTS);
  const [isOpen, setOpen] = useState(false);
  const path = isAdmin ? "/api/log/content/{id}" : "/api/log/self/content/{id}";
  const content = hooks.useQuery(
    "get",
    path as "/api/log/content/{id}",
    { params: { path: { id } } },
    { enabled: isOpen, staleTime: Infinity, retry: false, refetchOnWindowFocus: false },
  );
  const found = content.data?.data;
  return (
    <Section
      title={t.call.content}
      actions={
        found === undefined && (
          <Button busy={content.isFetching} onClick={() => setOpen(true)}>
            {t.call.readContent}
          </Button>
        )
      }
    >
      {found === undefined && <p className="text-muted text-xs">{t.call.contentHint}</p>}
      {content.error !== null && <Problem error={content.error} />}
      {found !== undefined && (
        <>
          <p className="text-muted text-xs">
            {t.call.expires} <At at={found.expires_at} />
          </p>
          <Part title={t.call.request} part={found.request} />
          {found.answer === null ? (
            <p className="text-muted text-sm">{t.call.noAnswer}</p>
          ) : (
            <Part title={t.call.answer} part={found.answer} />
          )}
          {found.result !== null && <Part title={t.call.result} part={found.result} />}
        </>
      )}
    </Section>
  );
}

function Part({
  title,
  part: { text, truncated },
}: {
  readonly title: string;
  readonly part: Schemas["CallContent"]["request"];
}) {
  const t = useTexts(LOG_TEXTS);
  return (
    <div>
      <h3 className="text-sm font-medium">{title}</h3>
      {truncated && <p className="text-warn text-xs">{t.call.truncated}</p>}
      <pre
        tabIndex={0}
        aria-label={title}
        className="bg-bg mt-1 max-h-96 overflow-auto rounded-md p-3 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {text}
      </pre>
    </div>
  );
}
