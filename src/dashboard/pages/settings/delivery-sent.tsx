import { useQuery } from "@tanstack/react-query";
import { serverClock } from "../../api/server-clock.ts";
import type { Delivery } from "../../api/types.ts";
import { Raw } from "../../parts/raw.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { eventOf, isOfGroup, requestText } from "./sent.ts";

interface SentProps {
  readonly delivery: Delivery;
  readonly isSigned: boolean;
}

/** The request of a delivery's last attempt, or of the first that is to come. */
export const Sent = ({ delivery, isSigned }: SentProps) => {
  const { data, error, refetch } = useQuery(eventOf(delivery));
  const last = delivery.attempts.at(-1);
  const what = last === undefined ? "What is to be sent" : "What was sent";
  return (
    <>
      {!isOfGroup(delivery) && <Waiting lines={3} of={{ data, error, refetch }} />}
      {data != null && (
        <>
          <p>{what}:</p>
          <Raw
            what={what}
            text={requestText(data, last === undefined ? serverClock.now() : Date.parse(last.at))}
          />
        </>
      )}
      {data != null && (
        <p>
          The body is laid out to be read: it is sent on one line, with its names in another order.
          {isSigned &&
            " Each attempt is signed besides, in X-Service-Signature and webhook-signature: signatures are not kept."}
        </p>
      )}
      {data === null && <p>The event is kept no more.</p>}
      {isOfGroup(delivery) && <p>What is sent of a group is made for this webhook alone, and not kept.</p>}
      <p>
        Event <code>{delivery.eventId}</code>
      </p>
    </>
  );
};
