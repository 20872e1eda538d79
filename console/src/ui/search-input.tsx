import { Input } from "./field.tsx";
import { useQueryState } from "./query-state.ts";

/** Filters a list by `q` of its address. */
export function SearchInput({ label, value }: { readonly label: string; readonly value: string }) {
  const [, setParams] = useQueryState();
  return (
    <Input
      type="search"
      data-search
      aria-label={label}
      placeholder={label}
      className="w-64"
      defaultValue={value}
      onChange={(event) => setParams({ q: event.target.value.trim() })}
    />
  );
}
