import { useQueryState } from "./query-state.ts";
import { SearchBox } from "./search-box.tsx";

interface SearchInputProps {
  readonly label: string;
  readonly className?: string;
}

/** Filters a list by `q` of the address, with each letter. */
export function SearchInput({ label, className = "w-64" }: SearchInputProps) {
  const [params, setParams] = useQueryState();
  return (
    <SearchBox
      label={label}
      className={className}
      value={params.get("q") ?? ""}
      onChange={(event) => setParams({ q: event.target.value })}
    />
  );
}
