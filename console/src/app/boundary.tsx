import { Component, type ReactNode } from "react";
import { Problem } from "../ui/problem.tsx";

interface BoundaryProps {
  /** A change of it shows the children again. */
  readonly resetKey: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: unknown;
  readonly resetKey: string;
}

/** Keeps a mistake of one page from taking down the others. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error };
  }

  static getDerivedStateFromProps(
    { resetKey }: BoundaryProps,
    state: BoundaryState,
  ): BoundaryState | null {
    return resetKey === state.resetKey ? null : { error: undefined, resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <main id="main" className="p-4">
        <Problem error={error} onRetry={() => this.setState({ error: undefined })} />
      </main>
    );
  }
}
