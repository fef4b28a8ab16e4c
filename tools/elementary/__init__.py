"""How the elementary functions of `enzyme.backend.elementary` were made, and how accurate they are."""
