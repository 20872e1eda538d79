import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../app/language.ts";
import { Button, IconButton } from "./button.tsx";
import { UI_TEXTS } from "./texts.ts";

const SHOWN_MS = 1_500;

export function useCopy(): { readonly isCopied: boolean; copy(text: string): Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  return {
    isCopied,
    async copy(text) {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    },
  };
}

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const t = useTexts(UI_TEXTS);
  const { isCopied, copy } = useCopy();
  const icon = isCopied ? <Check size={14} /> : <Copy size={14} />;
  const name = isCopied ? t.copied : (label ?? t.copy);
  if (label === undefined)
    return (
      <IconButton label={name} onClick={() => void copy(text)}>
        {icon}
      </IconButton>
    );
  return (
    <Button icon={icon} onClick={() => void copy(text)}>
      {name}
    </Button>
  );
}

/** Text to copy, such as a command or a secret. */
export function Code({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <div className="border-line bg-bg flex items-start rounded-md border">
      <pre
        tabIndex={0}
        aria-label={label}
        className="min-w-0 flex-1 overflow-x-auto px-2.5 py-2 font-mono text-xs leading-5"
      >
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}
