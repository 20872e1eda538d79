import { Mark } from "./mark.tsx";

/** Until the user is known. index.html holds the same, so that nothing moves when the script starts. */
export function Opening() {
  return (
    <div className="flex h-dvh items-center justify-center" aria-busy="true">
      <Mark size={32} />
    </div>
  );
}
