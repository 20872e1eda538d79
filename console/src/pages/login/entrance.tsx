import { useEffect, type ReactNode } from "react";
import { Link } from "wouter";
import { useTexts } from "../../app/language.ts";
import { Preferences } from "../../app/preferences.tsx";
import { LOGIN_TEXTS } from "./texts.ts";

/** The frame of the pages before the login. */
export function Entrance({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint: string;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <main id="main" className="flex min-h-dvh flex-col items-center justify-center gap-6 p-4">
      <div className="border-line bg-surface flex w-full max-w-sm flex-col gap-4 rounded-md border p-6">
        <header>
          <p translate="no" className="text-accent text-sm font-semibold">
            Sluice
          </p>
          <h1 className="text-xl">{title}</h1>
          {hint !== "" && <p className="text-muted mt-1 text-sm">{hint}</p>}
        </header>
        {children}
      </div>
      <Preferences />
    </main>
  );
}

export function LoginLink() {
  const t = useTexts(LOGIN_TEXTS);
  return (
    <Link href="/login" className="text-accent self-start text-sm hover:underline">
      {t.toLogin}
    </Link>
  );
}
