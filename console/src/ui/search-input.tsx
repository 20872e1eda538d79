import { Input } from "./field.tsx";
import { useQueryState } from "./query-state.ts";

interface SearchInputProps {
  readonly label: string;
  readonly className?: string;
}

/** Filters a list by `q` of the address, with each letter. */
export function SearchInput({ label, className = "w-64" }: SearchInputProps) {
  const [params, setParams] = useQueryState();
  return (
    <Input
      type="search"
      data-search
      aria-label={label}
      placeholder={label}
      className={className}
      value={params.get("q") ?? ""}
      onChange={(event) => setParams({ q: event.target.value })}
    />
  );
}
