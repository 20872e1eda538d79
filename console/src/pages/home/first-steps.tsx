import { Link } from "wouter";
import { snippetsOf } from "../../api/snippets.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Code } from "../../ui/copy.tsx";
import { Section } from "../../ui/page.tsx";
import { HOME_TEXTS } from "./texts.ts";

interface FirstStepsProps {
  readonly hasChannel: boolean;
  readonly hasKey: boolean;
  readonly hasCall: boolean;
  /** A model to call. */
  readonly model: string;
}

/** The way of a new gateway to its first call. */
export function FirstSteps({ hasChannel, hasKey, hasCall, model }: FirstStepsProps) {
  const t = useTexts(HOME_TEXTS);
  const curl = snippetsOf(location.origin, "$SLUICE_KEY", model).find(
    ({ name }) => name === "curl",
  );
  const steps = [
    { name: "channel", isDone: hasChannel, hint: t.step.channelHint, href: "/channels" },
    { name: "key", isDone: hasKey, hint: t.step.keyHint, href: "/keys" },
    { name: "call", isDone: hasCall, hint: t.step.callHint, href: undefined },
  ] as const;
  return (
    <Section title={t.steps}>
      <ol className="border-line bg-surface divide-line divide-y rounded-md border text-sm">
        {steps.map(({ name, isDone, hint, href }, at) => (
          <li key={name} className="flex min-w-0 flex-col gap-1 px-3 py-2">
            <p className="flex items-center gap-2">
              <span className="text-muted figures">{at + 1}</span>
              {href === undefined || isDone ? (
                <span className="font-medium">{t.step[name]}</span>
              ) : (
                <Link href={href} className="text-accent font-medium hover:underline">
                  {t.step[name]}
                </Link>
              )}
              {isDone && <Badge tone="good">{t.done}</Badge>}
            </p>
            {!isDone && <p className="text-muted text-xs">{hint}</p>}
            {name === "call" && !isDone && curl !== undefined && (
              <Code text={curl.text} label={t.step.call} />
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
