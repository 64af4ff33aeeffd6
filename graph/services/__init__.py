"""Local services of a checkout: started by its first process, stopped after its last."""

from graph.services.client import ServiceError, hold_service, local_service
from graph.services.kinds import ServiceName

__all__ = ["ServiceError", "ServiceName", "hold_service", "local_service"]
