import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

interface CreateButtonProps {
  readonly className?: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** The main action of a page that lists objects: it adds one. */
export function CreateButton({ className, onClick, children }: CreateButtonProps) {
  return (
    <Button
      look="main"
      icon={<Plus size={14} />}
      onClick={onClick}
      {...(className === undefined ? {} : { className })}
    >
      {children}
    </Button>
  );
}
