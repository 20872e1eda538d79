import { useEffect, useState } from "react";
import { SearchBox } from "./search-box.tsx";

interface FilterInputProps {
  readonly label: string;
  readonly value: string;
  readonly className?: string;
  readonly onDone: (value: string) => void;
}

/** Takes effect on Enter or when it is left, so that each letter is not a request. */
export function FilterInput({ label, value, className = "w-36", onDone }: FilterInputProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <SearchBox
      label={label}
      className={className}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        if (event.target.value === "") onDone("");
      }}
      onKeyDown={(event) => event.key === "Enter" && onDone(text.trim())}
      onBlur={() => text.trim() !== value && onDone(text.trim())}
    />
  );
}
