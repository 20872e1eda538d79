import { CircleAlert } from "lucide-react";
import { ApiError } from "../api/error.ts";
import { useTexts, type Translated } from "../app/language.ts";
import { Button } from "./button.tsx";
import { UI_TEXTS } from "./texts.ts";

/** Why something failed, and what to do. */
export function Problem({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}) {
  const t = useTexts(UI_TEXTS);
  const { title, hint } = describe(error, t);
  return (
    <div
      role="alert"
      className="border-bad bg-bad-soft flex items-start gap-2 rounded-md border px-3 py-2 text-sm"
    >
      <CircleAlert size={16} className="text-bad mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        <p className="break-words">{hint}</p>
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>{t.retry}</Button>}
    </div>
  );
}

function describe(error: unknown, t: Translated<typeof UI_TEXTS.en>) {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError)) return { title: t.failed, hint: message };
  if (error.status === 0) return { title: t.unreachable, hint: t.unreachableHint };
  // The gateway's own words, unless they say no more than the title.
  const isPlain = message === "" || message === "Your role does not allow this.";
  if (error.status === 403)
    return { title: t.forbidden, hint: isPlain ? t.forbiddenHint : message };
  if (error.status === 409) return { title: t.conflict, hint: `${message} ${t.conflictHint}` };
  return { title: t.failed, hint: message };
}
