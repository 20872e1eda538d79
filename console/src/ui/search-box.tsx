import type { ComponentProps } from "react";
import { Input } from "./field.tsx";

interface SearchBoxProps extends ComponentProps<typeof Input> {
  readonly label: string;
}

/** The search field of a page, which the key `/` finds. */
export function SearchBox({ label, ...rest }: SearchBoxProps) {
  return <Input type="search" data-search aria-label={label} placeholder={label} {...rest} />;
}
