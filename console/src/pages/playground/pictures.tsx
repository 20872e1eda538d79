import { ImagePlus, X } from "lucide-react";
import { useRef } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";

interface PicturesProps {
  /** Data URLs. */
  readonly images: readonly string[];
  readonly onChange: (images: readonly string[]) => void;
}

/** Pictures to send; they stay in this browser until then. */
export function Pictures({ images, onChange }: PicturesProps) {
  const t = useTexts(PLAYGROUND_TEXTS);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button icon={<ImagePlus size={14} />} onClick={() => input.current?.click()}>
        {t.attach}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={async (event) => {
          const added = await Promise.all([...(event.target.files ?? [])].map(readDataUrl));
          onChange([...images, ...added]);
          if (input.current !== null) input.current.value = "";
        }}
      />
      {images.map((url, at) => (
        <button
          key={url.slice(-64) + String(at)}
          type="button"
          title={t.removeImage}
          aria-label={`${t.removeImage} ${at + 1}`}
          onClick={() => onChange(images.filter((_, other) => other !== at))}
          className="border-line relative rounded-sm border"
        >
          <img src={url} alt="" className="h-8 w-8 object-cover" />
          <X size={12} className="bg-surface absolute -top-1 -right-1 rounded-full" />
        </button>
      ))}
    </div>
  );
}

export function readDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () =>
      reject(reader.error ?? new Error("The file was not read.")),
    );
    reader.readAsDataURL(file);
  });
}
