import { Component, type ReactNode, Suspense } from "react";
import { Button } from "../parts/button.tsx";
import style from "./lazily.module.css";

interface LazilyProps {
  /** Until it is there. */
  readonly meanwhile?: ReactNode;
  readonly children: ReactNode;
}

/**
 * What comes when it is wanted, beside the page: where it does not come, as of a service that has a new version, the page
 * and all that is typed on it stay.
 */
export class Lazily extends Component<LazilyProps, { readonly isMissing: boolean }> {
  override readonly state = { isMissing: false };

  static getDerivedStateFromError = () => ({ isMissing: true });

  override render() {
    const { meanwhile, children } = this.props;
    if (!this.state.isMissing) return <Suspense fallback={meanwhile}>{children}</Suspense>;
    return (
      <div role="alert" className={style.missing}>
        A part of this page could not be loaded; the service may have a new version.{" "}
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
    );
  }
}
