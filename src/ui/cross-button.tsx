interface CrossButtonProps {
  className?: string;
  label: string;
  onClick: () => void;
}

export function CrossButton({ className = "", label, onClick }: CrossButtonProps) {
  return (
    <button type="button" className={`cross-button ${className}`} aria-label={label} onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M3 3l10 10M13 3L3 13" />
      </svg>
    </button>
  );
}
